extension NSSortDescriptor {
    /// Orders by a property that a Swift key path names, an optional one too.
    ///
    /// Foundation's own initializer of this name asks for values that are comparable, which optional ones are not.
    @_disfavoredOverload
    public convenience init<Root: NSManagedObject, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        self.init(
            keyPath: keyPath, ascending: ascending,
            comparator: { first, second in
                StoreSort.Comparison.values.order(
                    PropertyValue(predicate: PredicateValue(first)),
                    PropertyValue(predicate: PredicateValue(second)))
            })
    }
}
