// Foundation on Linux declares NSExpression and NSComparisonPredicate as well, and lets nobody make one. A file that
// gets Foundation through this module alone takes these names for this module's: Swift prefers what is nearer. So all our
// modules export Foundation through this one only.
@_exported public import FoundationGaps
