extension NSManagedObjectContext {
    /// Does nothing: there is no key-value observing on Linux that could be told. For contexts that announce a property of
    /// their own.
    public func willChangeValue(forKey key: String) {}

    /// Does nothing, as ``willChangeValue(forKey:)``.
    public func didChangeValue(forKey key: String) {}
}
