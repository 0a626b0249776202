// A file that imports Core Data writes `Date`, `URL` and `NSPredicate(format:)` without further imports on
// Apple's platforms; so it does here.
@_exported import Foundation
@_exported import Predicates
