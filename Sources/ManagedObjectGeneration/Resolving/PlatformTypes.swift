import Foundation

/// The types of the standard library and of Foundation, asked of the runtime that this tool runs on.
///
/// Where a type is declared (`Date` in FoundationEssentials, `NSSet` in Foundation) differs between
/// releases of Swift, so there is no table of it here: whatever name the runtime finds is the right one.
enum PlatformTypes {
    private static let foundation = ["Foundation", "FoundationEssentials", "FoundationInternationalization"]

    /// Types that the runtime finds with their arguments only.
    private static let generic: [String: (module: String, kind: NominalType.Kind)] = [
        "Array": ("Swift", .structure), "Dictionary": ("Swift", .structure), "Set": ("Swift", .structure),
        "Range": ("Swift", .structure), "ClosedRange": ("Swift", .structure),
        "ContiguousArray": ("Swift", .structure), "ArraySlice": ("Swift", .structure),
        "KeyValuePairs": ("Swift", .structure), "Result": ("Swift", .enumeration),
        "CollectionDifference": ("Swift", .structure), "Measurement": ("Foundation", .structure),
    ]

    /// Names that stand for another type.
    private static let aliases: [String: [String]] = [
        "TimeInterval": ["Double"], "Float32": ["Float"], "Float64": ["Double"],
        "CFTimeInterval": ["Double"], "CLong": ["Int"], "CInt": ["Int32"], "CShort": ["Int16"],
        "CLongLong": ["Int64"], "CDouble": ["Double"], "CFloat": ["Float"], "CBool": ["Bool"],
        "unichar": ["UInt16"], "NSRange": ["_NSRange"], "NSInteger": ["Int"],
    ]

    /// The type of that path, or nil.
    static func nominal(_ path: [String], hasArguments: Bool) -> NominalType? {
        if path.count == 1, let alias = aliases[path[0]] { return nominal(alias, hasArguments: false) }
        if hasArguments {
            guard path.count == 1, let known = generic[path[0]] else { return nil }
            return NominalType(module: known.module, path: [.init(name: path[0], kind: known.kind)])
        }
        return (foundation + ["Swift"]).lazy.compactMap { nominal(path, module: $0) }.first
    }

    private static func nominal(_ path: [String], module: String) -> NominalType? {
        var found: [NominalType.Component] = []
        for name in path {
            let next = [NominalType.Kind.structure, .class, .enumeration, .protocol].first { kind in
                exists(NominalType(module: module, path: found + [.init(name: name, kind: kind)]))
            }
            guard let next else { return nil }
            found.append(.init(name: name, kind: next))
        }
        return NominalType(module: module, path: found)
    }

    private static func exists(_ type: NominalType) -> Bool {
        let symbol: String
        if type.kind == .protocol {
            symbol = SymbolName.type(.existential([type]))
        } else {
            symbol = SymbolName.type(.nominal(type, []))
        }
        return _typeByName(symbol) != nil
    }
}
