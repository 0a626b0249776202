// On platforms without a module of this name, `import CloudKit` means Stratus's client, with what it exports.
@_exported public import StratusCloudKit

// Foundation brings Combine along on Apple's platforms, so that `ObservableObject` and `@Published` need no import of their
// own. The package Companions, which has Combine, sets the trait.
#if Combine
@_exported public import OpenCombine
@_exported public import OpenCombineDispatch
@_exported public import OpenCombineFoundation
#endif
