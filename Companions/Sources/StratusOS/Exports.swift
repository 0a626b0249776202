// The module of C of the same name: locks, and the submodules of `import os.log` and its like.
@_exported public import StratusOS
