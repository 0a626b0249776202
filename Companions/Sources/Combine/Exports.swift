// Everything of StratusCombine, under Apple's name.
@_exported public import StratusCombine
