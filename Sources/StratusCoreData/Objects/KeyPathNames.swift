// The names of Swift key paths. With Objective-C the run time knows them; here the generated accessors do.

extension AnyKeyPath {
    /// The key of the property, or the keys with dots between them, of a key path that begins at a managed object; nil
    /// for other key paths, and for a class without an entity in a model that is in use.
    ///
    /// The standard library's property of this name is nil on Linux. Libraries that turn key paths into keys read it, and
    /// get this one where they import CoreData.
    public var _kvcKeyPathString: String? { managedKeyPath }

    /// The key of the property, or the keys with dots between them: what `#keyPath` and `_kvcKeyPathString` say on
    /// Apple's platforms. Nil where the key path begins at no managed object, leads to what is not a property of its
    /// entity, or the class has no entity in a model that is in use.
    public var managedKeyPath: String? {
        if let known = KeyPathProbe.generated(self) { return known }
        guard let type = Self.rootType as? NSManagedObject.Type, let entity = ModelRegistry.entity(for: type)
        else { return nil }
        return KeyPathProbe.key(of: self, entity: entity)
    }
}

extension Predicates.NSExpression {
    /// A key path, by the Swift key path of a managed object's property.
    ///
    /// A key path that names no property is kept as the key that its description says, and no fetch finds anything for
    /// it; Apple's class stops the program.
    public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
        self.init(forKeyPath: keyPath.managedKeyPath ?? "\(keyPath)")
    }
}
