// On platforms without a module of this name, `import CoreData` means Stratus's object store, with what it exports.
@_exported public import StratusCoreData

// Foundation brings Combine along on Apple's platforms, so that `ObservableObject` and `@Published` need no import of their
// own. The package Companions, which has Combine, sets the trait.
#if Combine
@_exported public import OpenCombine
@_exported public import OpenCombineDispatch
@_exported public import OpenCombineFoundation
#endif
