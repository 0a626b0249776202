import DemoData
import Foundation

/// Examples/Demo of this checkout.
let demoFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Examples/Demo").path
