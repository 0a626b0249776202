import CoreData.NSManagedObjectContext
import Foundation

private var tagKey: UInt8 = 0

/// A property of a context that an extension keeps for it.
extension NSManagedObjectContext {
    var tag: String? {
        get { objc_getAssociatedObject(self, &tagKey) as? String }
        set {
            willChangeValue(forKey: "tag")
            objc_setAssociatedObject(self, &tagKey, newValue, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
            didChangeValue(forKey: "tag")
        }
    }
}
