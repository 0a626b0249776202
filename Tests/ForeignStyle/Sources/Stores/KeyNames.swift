import CoreData

/// Keys of key paths, as libraries want them for predicates.
func predicate<Root: NSManagedObject, Value: Equatable>(_ keyPath: KeyPath<Root, Value>, is value: Value)
    -> NSPredicate
{
    NSComparisonPredicate(
        leftExpression: NSExpression(forKeyPath: keyPath),
        rightExpression: NSExpression(forConstantValue: value),
        modifier: .direct, type: .equalTo)
}
