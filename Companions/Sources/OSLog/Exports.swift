// `import OSLog` brings what `import os` brings. Apple's OSLog also reads what was logged; here swift-log's handlers have it.
@_exported public import StratusOS
