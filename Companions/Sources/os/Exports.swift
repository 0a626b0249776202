// Everything of StratusOS, under Apple's name.
@_exported public import StratusOS
