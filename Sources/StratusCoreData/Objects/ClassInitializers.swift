// Initializers on a class that is known at run time only: `T(context:)` with a generic `T`, `Self(context:)`,
// `type.init(concurrencyType:)`.
//
// Swift allows that for `required` initializers only, but exempts classes that are imported from Objective-C, as Apple's
// are. Were these required, each subclass with an initializer of its own would have to repeat the word. An initializer of
// a protocol extension is exempt too. It is declared here without a body and gets one under the same symbol from a static
// method, which is called in the same way and knows its class in `self`; that one calls a convenience initializer, whose
// `self.init` runs the subclass's own initializer.

/// What makes managed objects of classes that are known at run time only.
public protocol ManagedObjectMaking: NSManagedObject {}

extension NSManagedObject: ManagedObjectMaking {}

extension ManagedObjectMaking {
    /// Makes an object of the class's entity in a context.
    ///
    /// A class without an entity in the context's model stops the program, as it does on Apple's platforms.
    @_silgen_name("stratus_object_in_context")
    public init(context moc: NSManagedObjectContext)

    /// Makes an object of an entity, in a context where one is given; for a class that is known at run time only.
    @_silgen_name("stratus_object_of_entity")
    public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?, _ unused: Void = ())
}

extension ManagedObjectMaking {
    @_silgen_name("stratus_object_in_context")
    static func making(context moc: consuming NSManagedObjectContext) -> Self {
        let entity = moc.entity(for: self)
        return make(entity, moc)
    }

    @_silgen_name("stratus_object_of_entity")
    static func making(
        entity: consuming NSEntityDescription, insertInto context: consuming NSManagedObjectContext?,
        _ unused: Void = ()
    ) -> Self {
        make(entity, context)
    }
}

extension NSManagedObject {
    /// Makes an object of the class by its own `init(entity:insertInto:)`.
    @_silgen_name("stratus_object_init")
    static func make(
        _ entity: consuming NSEntityDescription, _ context: consuming NSManagedObjectContext?
    ) -> Self
}

/// What makes contexts of classes that are known at run time only.
public protocol ContextMaking: NSManagedObjectContext {}

extension NSManagedObjectContext: ContextMaking {}

extension ContextMaking {
    /// Makes a context with a queue of its own, or the main one; for a class that is known at run time only.
    @_silgen_name("stratus_context_of_type")
    public init(concurrencyType type: NSManagedObjectContextConcurrencyType, _ unused: Void = ())
}

extension ContextMaking {
    @_silgen_name("stratus_context_of_type")
    static func making(
        concurrencyType type: NSManagedObjectContextConcurrencyType, _ unused: Void = ()
    ) -> Self {
        make(type)
    }
}

extension NSManagedObjectContext {
    @_silgen_name("stratus_context_init")
    static func make(_ type: NSManagedObjectContextConcurrencyType) -> Self
}

/// What makes coordinators of classes that are known at run time only.
public protocol CoordinatorMaking: NSPersistentStoreCoordinator {}

extension NSPersistentStoreCoordinator: CoordinatorMaking {}

extension CoordinatorMaking {
    /// Makes a coordinator without stores; for a class that is known at run time only.
    @_silgen_name("stratus_coordinator_of_model")
    public init(managedObjectModel model: NSManagedObjectModel, _ unused: Void = ())
}

extension CoordinatorMaking {
    @_silgen_name("stratus_coordinator_of_model")
    static func making(managedObjectModel model: consuming NSManagedObjectModel, _ unused: Void = ()) -> Self
    {
        make(model)
    }
}

extension NSPersistentStoreCoordinator {
    @_silgen_name("stratus_coordinator_init")
    static func make(_ model: consuming NSManagedObjectModel) -> Self
}

/// What makes containers of classes that are known at run time only.
public protocol ContainerMaking: NSPersistentContainer {}

extension NSPersistentContainer: ContainerMaking {}

extension ContainerMaking {
    /// Makes a container for a model; for a class that is known at run time only.
    @_silgen_name("stratus_container_of_model")
    public init(name: String, managedObjectModel model: NSManagedObjectModel, _ unused: Void = ())

    /// Makes a container for the model of that name; for a class that is known at run time only.
    @_silgen_name("stratus_container_of_name")
    public init(name: String, _ unused: Void = ())
}

extension ContainerMaking {
    @_silgen_name("stratus_container_of_model")
    static func making(
        name: consuming String, managedObjectModel model: consuming NSManagedObjectModel, _ unused: Void = ()
    ) -> Self {
        make(name, model)
    }

    @_silgen_name("stratus_container_of_name")
    static func making(name: consuming String, _ unused: Void = ()) -> Self {
        let model = NSPersistentContainer.model(named: name)
        return make(name, model)
    }
}

extension ContainerMaking {
    /// Where stores are unless a description says otherwise; the newer spelling of
    /// ``NSPersistentContainer/defaultDirectoryURL()``.
    public static var defaultDirectoryURL: URL { defaultDirectoryURL() }
}

extension NSPersistentContainer {
    @_silgen_name("stratus_container_init")
    static func make(_ name: consuming String, _ model: consuming NSManagedObjectModel) -> Self
}

/// What makes stores of classes that are known at run time only.
public protocol StoreMaking: NSPersistentStore {}

extension NSPersistentStore: StoreMaking {}

extension StoreMaking {
    /// Makes a store that is not open yet; for a class that is known at run time only.
    @_silgen_name("stratus_store_of_coordinator")
    public init(
        persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?,
        at url: URL, options: [AnyHashable: Any]? = nil, _ unused: Void = ())
}

extension StoreMaking {
    @_silgen_name("stratus_store_of_coordinator")
    static func making(
        persistentStoreCoordinator root: consuming NSPersistentStoreCoordinator?,
        configurationName name: consuming String?,
        at url: consuming URL, options: consuming [AnyHashable: Any]?, _ unused: Void = ()
    ) -> Self {
        make(root, name, url, options)
    }
}

extension NSPersistentStore {
    @_silgen_name("stratus_store_init")
    static func make(
        _ root: consuming NSPersistentStoreCoordinator?, _ name: consuming String?, _ url: consuming URL,
        _ options: consuming [AnyHashable: Any]?
    ) -> Self
}

/// What makes migration policies of classes that are known at run time only.
public protocol MigrationPolicyMaking: NSEntityMigrationPolicy {}

extension NSEntityMigrationPolicy: MigrationPolicyMaking {}

extension MigrationPolicyMaking {
    /// Makes a policy; for a class that is known at run time only.
    @_silgen_name("stratus_policy")
    public init(_ unused: Void = ())
}

extension MigrationPolicyMaking {
    @_silgen_name("stratus_policy")
    static func making(_ unused: Void = ()) -> Self { make() }
}

extension NSEntityMigrationPolicy {
    @_silgen_name("stratus_policy_init")
    static func make() -> Self
}

extension ValueTransformer {
    @_silgen_name("stratus_transformer_init")
    static func make() -> Self
}
