// On platforms without a module of this name, `import CloudKit` means Stratus's client.
@_exported public import StratusCloudKit
