// Everything of OpenCombine, which is made after Combine's documented interface.
@_exported public import OpenCombine
@_exported public import OpenCombineDispatch
@_exported public import OpenCombineFoundation
