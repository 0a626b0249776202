@_exported public import TestSeeds
