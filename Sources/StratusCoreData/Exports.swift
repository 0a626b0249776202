// A file that imports Core Data writes `Date`, `URL` and `NSPredicate(format:)` without further imports on
// Apple's platforms; so it does here. Predicates brings Foundation along, see there.
@_exported import Predicates
