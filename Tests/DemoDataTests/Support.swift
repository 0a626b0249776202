import Foundation
import TestSeeds

/// Examples/Demo of this checkout.
let demoFolder = Checkout.file("Examples/Demo").path
