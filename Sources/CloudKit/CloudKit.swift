// On platforms without a module of this name, `import CloudKit` means Stratus's client, with what it exports.
@_exported public import StratusCloudKit
