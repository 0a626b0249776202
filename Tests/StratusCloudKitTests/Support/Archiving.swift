import Foundation

/// What comes back of an object that was archived securely; throws where nothing does.
func archived<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object? {
    let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    return try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data)
}
