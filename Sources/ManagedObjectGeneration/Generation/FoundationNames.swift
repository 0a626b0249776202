/// What Foundation has on Apple's platforms and not on Linux, for files of a target that import Foundation alone: names of the
/// target itself, which every file sees. They also settle what is meant where Foundation on Linux declares a name and cannot
/// make one, beside which ours would be ambiguous.
enum FoundationNames {
    private static let types = [
        ("NSComparisonPredicate", "Predicates", "class"), ("NSExpression", "Predicates", "class"),
        ("PersonNameComponentsFormatter", "FoundationGaps", "class"),
        ("NSFileCoordinator", "FoundationGaps", "class"), ("NSFilePresenter", "FoundationGaps", "protocol"),
        ("NSErrorPointer", "FoundationGaps", "typealias"),
        ("objc_AssociationPolicy", "FoundationGaps", "enum"),
    ]

    /// Functions by the word that asks for them.
    private static let functions: [(name: String, lines: [String])] = [
        (
            "autoreleasepool",
            [
                "func autoreleasepool<Result, Failure: Error>(",
                "    invoking body: () throws(Failure) -> Result",
                ") throws(Failure) -> Result { try FoundationGaps.autoreleasepool(invoking: body) }",
            ]
        ),
        (
            "objc_sync_enter",
            [
                "@discardableResult func objc_sync_enter(_ obj: Any) -> Int32 { FoundationGaps.objc_sync_enter(obj) }"
            ]
        ),
        (
            "objc_sync_exit",
            [
                "@discardableResult func objc_sync_exit(_ obj: Any) -> Int32 { FoundationGaps.objc_sync_exit(obj) }"
            ]
        ),
        (
            "objc_getAssociatedObject",
            [
                "func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {",
                "    FoundationGaps.objc_getAssociatedObject(object, key)", "}",
            ]
        ),
        (
            "objc_setAssociatedObject",
            [
                "func objc_setAssociatedObject(",
                "    _ object: Any, _ key: UnsafeRawPointer, _ value: Any?,",
                "    _ policy: FoundationGaps.objc_AssociationPolicy",
                ") { FoundationGaps.objc_setAssociatedObject(object, key, value, policy) }",
            ]
        ),
    ]

    /// The declarations that a module needs.
    static func lines(for index: ModuleIndex) -> [String] {
        let types = types.filter { name, _, _ in index.mentions(name) && !index.declares(name) }
        let functions = functions.filter { name, _ in
            index.mentions(name) && !index.mentions("func \(name)")
        }
        return types.flatMap { name, module, kind in
            [
                "public import \(kind) \(module).\(name)", "public typealias \(name) = \(module).\(name)",
            ]
        } + (functions.isEmpty ? [] : ["internal import FoundationGaps"]) + functions.flatMap(\.lines)
    }
}
