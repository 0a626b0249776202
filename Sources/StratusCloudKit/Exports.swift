// Predicates with a format and sort descriptors with a key are part of what a document's `import CloudKit`
// has to bring, since Foundation on Linux declares them unavailable.
@_exported public import Predicates
