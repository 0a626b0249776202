public import Foundation

extension NSKeyedUnarchiver {
    /// The array of an archive whose elements are of a class; nil where the archive has none.
    ///
    /// - Throws: what reading throws: for a damaged archive, and for elements of another class.
    public static func unarchivedArrayOfObjects<Element: NSObject & NSCoding>(
        ofClass cls: Element.Type, from data: Data
    ) throws -> [Element]? {
        try collection(of: [NSArray.self, cls], in: data)
    }

    /// The array of an archive whose elements are of some classes; nil where the archive has none.
    ///
    /// - Throws: what reading throws: for a damaged archive, and for elements of other classes.
    public static func unarchivedArrayOfObjects(ofClasses classes: [AnyClass], from data: Data) throws
        -> [Any]?
    {
        try collection(of: [NSArray.self] + classes, in: data)
    }

    /// The dictionary of an archive whose keys and values are of a class each; nil where the archive has none.
    ///
    /// - Throws: what reading throws: for a damaged archive, and for keys and values of other classes.
    public static func unarchivedDictionary<Key: NSObject & NSCoding, Value: NSObject & NSCoding>(
        ofKeyClass keyClass: Key.Type, objectClass: Value.Type, from data: Data
    ) throws -> [Key: Value]? {
        try collection(of: [NSDictionary.self, keyClass, objectClass], in: data)
    }

    /// The dictionary of an archive whose keys and values are of some classes; nil where the archive has none.
    ///
    /// - Throws: what reading throws: for a damaged archive, and for keys and values of other classes.
    public static func unarchivedDictionary(
        ofKeyClasses keyClasses: [AnyClass], objectClasses: [AnyClass], from data: Data
    ) throws -> [AnyHashable: Any]? {
        try collection(of: [NSDictionary.self] + keyClasses + objectClasses, in: data)
    }

    /// A collection of an archive. Foundation on Linux does not look at the classes of what is in it.
    private static func collection<Found>(of classes: [AnyClass], in data: Data) throws -> Found? {
        guard let object = try unarchivedObject(ofClasses: classes, from: data) else { return nil }
        guard let found = object as? Found else { throw CocoaError(.coderReadCorrupt) }
        return found
    }
}
