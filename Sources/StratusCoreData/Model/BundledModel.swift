import Synchronization

/// The managed classes of a module; the build plugin `ManagedObjectGenerator` writes the types that conform.
public protocol BundledClasses: SendableMetatype {
    /// The name of the module, by which models may prefix classes.
    static var moduleName: String { get }
    /// The classes of entities by the name that models call them, without the module.
    static var classes: [String: NSManagedObject.Type] { get }
    /// The properties that the module's key paths name.
    static var keyPaths: [AnyKeyPath: String] { get }
    /// The getters that classes write for transient attributes, by the class that writes them.
    static var getters: [(type: NSManagedObject.Type, key: String, path: AnyKeyPath)] { get }
}

extension BundledClasses {
    /// None.
    public static var getters: [(type: NSManagedObject.Type, key: String, path: AnyKeyPath)] { [] }
}

/// A model that is part of a module; the build plugin `ManagedObjectGenerator` writes the types that conform.
public protocol BundledModel: SendableMetatype {
    /// The name of the model file, without extension.
    static var name: String { get }
    /// The name of the current version.
    static var currentVersion: String { get }
    /// All versions, with the text of their `contents` files.
    static var versions: [(name: String, contents: StaticString)] { get }
    /// The classes of the module that the model is part of.
    static var classes: any BundledClasses.Type { get }
}

/// The models and classes that came with the modules of the program.
///
/// Generated code registers before `main`, so both are complete whenever an app asks.
public enum BundledModels {
    private struct Registry {
        var classes: [any BundledClasses.Type] = []
        var models: [any BundledModel.Type] = []
    }

    private static let registry = Mutex(Registry())

    /// Called by generated code only.
    public static func register(_ classes: any BundledClasses.Type) {
        registry.withLock { $0.classes.append(classes) }
    }

    /// Called by generated code only.
    public static func register(_ model: any BundledModel.Type) {
        registry.withLock { $0.models.append(model) }
    }

    /// The models, in the order in which their modules were linked.
    static var models: [any BundledModel.Type] { registry.withLock { $0.models } }

    /// The classes of all modules that have managed ones.
    static var classes: [any BundledClasses.Type] { registry.withLock { $0.classes } }

    /// The model of that name.
    static func model(named name: String) -> (any BundledModel.Type)? {
        models.first { $0.name == name }
    }
}
