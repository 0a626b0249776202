// A file that imports CloudKit writes `Date`, `URLSession` and `NSPredicate(format:)` without further imports on
// Apple's platforms; so it does here. Foundation's networking is a module of its own outside of them, and its
// predicates are declared unavailable there, so Predicates has them, and brings Foundation along.
@_exported public import Predicates

#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
