/// Imports: what Foundation brings on Apple's platforms and not on Linux is imported besides, and modules of Apple's
/// platforms alone are imported there alone.
extension FilePorter {
    /// An `import` that Linux's compiler sees.
    private struct Import {
        /// `CloudKit` in `import class CloudKit.CKRecord`.
        var module: String
        /// `class`, say; nil where the whole module is imported.
        var kind: String?
        /// The names behind the module.
        var path: [String]
        /// The tokens from the first attribute on.
        var range: Range<Int>
        /// Whether conditions stand around it.
        var isConditional: Bool
    }

    /// What a file may use that another module than Foundation has on Linux.
    private struct Need {
        var module: String
        /// Types and functions.
        var names: Set<String>
        /// What stands after a point, or, with its label, behind a parenthesis.
        var members: Set<String> = []
        /// The modules that bring it along.
        var providers: Set<String>
    }

    private static let clients: Set<String> = ["CloudKit", "CoreData", "StratusCloudKit", "StratusCoreData"]

    private static let needs = [
        Need(
            module: "FoundationGaps",
            names: [
                "autoreleasepool", "NSErrorPointer", "NSFileCoordinator", "NSFilePresenter",
                "objc_sync_enter",
                "objc_sync_exit", "objc_getAssociatedObject", "objc_setAssociatedObject",
                "objc_removeAssociatedObjects",
            ],
            members: [
                "atomicWrite", "unarchivedArrayOfObjects", "unarchivedDictionary", "containerURL",
                "localized",
                "LocalizationValue",
            ],
            providers: clients.union(["FoundationGaps", "Predicates"])),
        Need(
            module: "FoundationNetworking",
            names: [
                "URLSession", "URLSessionConfiguration", "URLSessionTask", "URLSessionDataTask",
                "URLSessionDownloadTask", "URLSessionUploadTask", "URLSessionDelegate",
                "URLSessionTaskDelegate",
                "URLSessionDataDelegate", "URLSessionDownloadDelegate", "URLRequest", "NSURLRequest",
                "NSMutableURLRequest", "URLResponse", "HTTPURLResponse", "URLCache", "CachedURLResponse",
                "HTTPCookie", "HTTPCookieStorage", "URLCredential", "URLCredentialStorage",
                "URLProtectionSpace", "URLAuthenticationChallenge", "URLProtocol",
            ],
            providers: ["FoundationNetworking", "CloudKit", "StratusCloudKit"]),
        Need(
            module: "Combine",
            names: [
                "ObservableObject", "Published", "ObservableObjectPublisher", "AnyCancellable",
                "AnyPublisher",
                "PassthroughSubject", "CurrentValueSubject",
            ],
            providers: ["Combine", "OpenCombine", "SwiftUI", "CloudKit", "CoreData"]),
    ]

    /// Names that Foundation on Linux declares as well, unusable: beside `import Foundation` they are ambiguous.
    private static let clashing = [
        "NSComparisonPredicate": "Predicates", "NSExpression": "Predicates",
        "PersonNameComponentsFormatter": "FoundationGaps",
    ]

    /// Modules whose parts are no modules of their own on Linux.
    private static let undivided: Set<String> = ["Foundation", "CloudKit", "CoreData", "Combine", "Dispatch"]

    mutating func portImports() {
        let imports = file.tokens.indices.compactMap { self.import(at: $0) }
        guard let anchor = imports.last(where: { !$0.isConditional }) else { return }
        for found in imports {
            guard let bytes = file.byteRange(found.range) else { continue }
            if LeftoverAdvice.modules.contains(found.module) {
                guardImport(found, bytes, brings: imports)
            } else if found.kind == nil, !found.path.isEmpty, Self.undivided.contains(found.module),
                let path = file.byteRange(
                    found.range.upperBound - 2 * found.path.count..<found.range.upperBound)
            {
                edits.replace(path, by: "")
            }
        }
        addImports(after: anchor, to: imports)
    }

    /// The import whose keyword is a token.
    private func `import`(at position: Int) -> Import? {
        guard file.isAt(position, "import"), !file.excluded[position], !file.isAt(position - 1, "."),
            file.isName(position + 1)
        else { return nil }
        var start = position
        while start > 0, !file.tokens[start].isFirstOnLine { start -= 1 }
        let kinds = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
        let hasKind = kinds.contains(file.text(position + 1)) && file.isName(position + 2)
        var next = position + (hasKind ? 2 : 1)
        let module = file.text(next)
        var path: [String] = []
        next += 1
        while file.isAt(next, "."), file.isName(next + 1) {
            path.append(file.text(next + 1))
            next += 2
        }
        let depth = file.tokens[..<position].reduce(0) { depth, token in
            guard token.kind == .directive else { return depth }
            let text = String(decoding: file.bytes[token.range].prefix(6), as: UTF8.self)
            return depth + (text.hasPrefix("#if") ? 1 : text.hasPrefix("#endif") ? -1 : 0)
        }
        return Import(
            module: module, kind: hasKind ? file.text(position + 1) : nil, path: path, range: start..<next,
            isConditional: depth > 0)
    }

    /// Keeps an import for the platforms that have its module; all of Apple's bring Foundation along.
    private mutating func guardImport(_ found: Import, _ bytes: Range<Int>, brings imports: [Import]) {
        let indentation = self.indentation(at: bytes.lowerBound)
        let text = String(decoding: file.bytes[bytes], as: UTF8.self)
        let hasFoundation = imports.contains {
            $0.module == "Foundation" || Self.clients.contains($0.module)
        }
        let instead = hasFoundation ? "" : "\(indentation)#else\n\(indentation)import Foundation\n"
        edits.replace(
            bytes,
            by: "#if canImport(\(found.module))\n\(indentation)\(text)\n\(instead)\(indentation)#endif")
    }

    /// Imports besides what the file uses.
    private mutating func addImports(after anchor: Import, to imports: [Import]) {
        guard let end = file.byteRange(anchor.range)?.upperBound else { return }
        let modules = Set(imports.map(\.module))
        var lines: [String] = []
        for need in Self.needs where modules.isDisjoint(with: need.providers) && uses(need) {
            lines += ["#if canImport(\(need.module))", "import \(need.module)", "#endif"]
        }
        if modules.contains("Foundation") || !modules.isDisjoint(with: LeftoverAdvice.modules) {
            let scoped = imports.filter { $0.kind != nil }.flatMap(\.path)
            let clashes = Self.clashing.keys.sorted().filter { mentions($0) && !scoped.contains($0) }
            if !clashes.isEmpty {
                lines.append("#if canImport(FoundationGaps)")
                lines += clashes.map { "import class \(Self.clashing[$0] ?? "").\($0)" }
                lines.append("#endif")
            }
        }
        guard !lines.isEmpty else { return }
        edits.insert(lines.map { "\n" + $0 }.joined(), at: end)
    }

    private func uses(_ need: Need) -> Bool {
        need.names.contains { mentions($0) }
            || file.tokens.indices.contains { position in
                !file.excluded[position] && file.isName(position)
                    && need.members.contains(file.text(position))
                    && (file.isAt(position - 1, ".")
                        || file.isAt(position - 1, "(") && file.isAt(position + 1, ":"))
            }
    }

    /// Whether the file uses a name that none of the files that are ported together declares.
    private func mentions(_ name: String) -> Bool {
        guard !index.typeNames.contains(name), index.methods[name] == nil else { return false }
        return file.tokens.indices.contains { position in
            !file.excluded[position] && file.isAt(position, name) && !file.isAt(position - 1, ".")
                && !file.isAt(position + 1, ":")
        }
    }
}
