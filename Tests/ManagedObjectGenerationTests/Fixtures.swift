/// Sources as apps have them.
enum Fixtures {
    static let everyType = """
        import CoreData
        import Foundation

        public enum Kind: Int16 { case lecture, exercise }
        public struct Money { public struct Cents: Hashable {} }
        public struct Box<Element> {}
        public typealias Tags = [String]
        typealias Lookup = [Key: Tags]
        typealias Key = Money.Cents
        public protocol Named {}

        public class Item: NSManagedObject {
            public class Inner: NSManagedObject { @NSManaged public var itemInner: Item.Inner? }
            public enum State: Int16 { case on }
            @NSManaged public var state: State
        }
        /* @NSManaged var commented: String */
        public class Course: Item {
            // @NSManaged var alsoCommented: String
            static let text = "@NSManaged var inString: \\("String" + "}")"
            static let long = \"\"\"
                } @NSManaged var inLongString: String
                \"\"\"
            @NSManaged public var title: String?
            @NSManaged public var a16: Int16, b32: Int32
            @NSManaged public var count64: Int64
            @NSManaged public var number: Int
            @NSManaged public var isActive: Bool
            @NSManaged public var f: Float
            @NSManaged public var d: Double
            @NSManaged public var created: Date?
            @NSManaged public var bytes: Data
            @NSManaged public var uuid: UUID?
            @NSManaged public var url: Foundation.URL?
            @NSManaged public var dec: Decimal
            @NSManaged public var price: NSDecimalNumber?
            @NSManaged public var nn: NSNumber?
            @NSManaged public var ns: NSSet?
            @NSManaged public var os: NSOrderedSet
            @NSManaged public var ob: NSObject?
            @NSManaged public var nd: NSDate
            @NSManaged public var nsData: NSData?
            @NSManaged public var any: Any?
            @NSManaged public var ao: AnyObject?
            @NSManaged public var arr: [String]?
            @NSManaged public var arrayWritten: Array<String?>
            @NSManaged public var opt: Optional<Int>
            @NSManaged public var dict: [String: Any]
            @NSManaged public var items: Set<Item>?
            @NSManaged public var kind: Kind
            @NSManaged public var cents: Money.Cents
            @NSManaged public var selfs: Set<Course>
            @NSManaged public var inherited: State
            @NSManaged public var innerByInheritance: Inner?
            @NSManaged public var inner: Item.Inner?
            @NSManaged internal var courseItemCourse: [[Item]: [Item.Inner?]]
            @NSManaged public private(set) var readOnly: String
            @NSManaged fileprivate var filePrivate: String
            @NSManaged private var hidden: Item?
            @NSManaged private var hiddenToo: [Item]
            @NSManaged var size: CGFloat
            @NSManaged var failure: (any Error)?
            @NSManaged var bare: [UInt8]
            @NSManaged var length: Measurement<UnitLength>?
            @NSManaged var `class`: String
            @NSManaged var ünïcode: String
            @NSManaged var 日本語: Int
            @NSManaged var range: Range<Int>
            @NSManaged var place: Locale
            @NSManaged weak var parent: Item?
            @NSManaged var pair: (Int, Int)
            @NSManaged var triple: (Int, String, Item)?
            @NSManaged var unwrapped: String!
            @NSManaged var tags: Tags
            @NSManaged var lookup: Lookup?
            @NSManaged var box: Box<Item>
            @NSManaged var boxes: [Box<Int16>: Box<Box<Item>>]?
            @NSManaged var named: (any Named)?
            @NSManaged var coder: any NSCoding
            @NSManaged var id: NSManagedObject?
            @NSManaged var interval: TimeInterval
            @NSManaged var span: NSRange
            @NSManaged var primitiveTitle: String?
            @NSManaged var with: String, and: String
            @NSManaged var toolbox: Module.Kind?
            #if os(Linux)
            @NSManaged var onLinux: Int
            #elseif os(Windows)
            @NSManaged var onWindows: Missing
            #else
            @NSManaged var elsewhere: Missing
            #endif
            @NSManaged public func addToItems(_ value: Item)
            @NSManaged public func removeFromItems(_ value: Item)
            @NSManaged public func addToItems(_ values: NSSet)
            @NSManaged public func removeFromItems(_ values: NSSet)
            @NSManaged func addToSelfs(_ values: Set<Course>)
            @NSManaged public func insertIntoOs(_ value: Item, at idx: Int)
            @NSManaged public func removeFromOs(at idx: Int)
            @NSManaged public func insertIntoOs(_ values: [Item], at indexes: NSIndexSet)
            @NSManaged public func removeFromOs(at indexes: NSIndexSet)
            @NSManaged public func replaceOs(at idx: Int, with value: Item)
            @NSManaged public func replaceOs(at indexes: NSIndexSet, with values: [Item])
            @NSManaged public func addToOs(_ values: NSOrderedSet)
            @NSManaged private func addToHiddenToo(_ value: Item)

            func use(in class: Int, extension number: Int) -> String {
                struct Local { var title = "}" }
                filePrivate = ""
                hidden = nil
                hiddenToo = []
                addToHiddenToo(self)
                return filePrivate + "\\(hidden as Any)\\(hiddenToo)"
            }
            @NSManaged var afterMethod: Int
        }
        extension Box: Equatable, Hashable {}
        enum Module { typealias Kind = CourseModel.Kind }
        """

    static let extensions = """
        import Foundation
        @preconcurrency import CoreData

        extension Course {
            @NSManaged public var fromExtension: String?
            @NSManaged public var item: Item
            @NSManaged private var hiddenInExtension: String
            func useExtension() { hiddenInExtension += "x" }
        }
        public extension Item.Inner {
            @NSManaged var publicByExtension: Date
            @NSManaged var itemOuter: Item?
        }
        fileprivate extension Item {
            @NSManaged var hiddenByExtension: Date
        }
        extension Item { func useHidden() { hiddenByExtension = Date(); _ = hiddenByExtension } }
        """
}
