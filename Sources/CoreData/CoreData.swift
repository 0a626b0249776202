// On platforms without a module of this name, `import CoreData` means Stratus's object store, with what it exports.
@_exported public import StratusCoreData
