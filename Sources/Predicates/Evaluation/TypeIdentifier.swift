/// Uniform type identifiers, for `UTI-EQUALS` and `UTI-CONFORMS-TO`.
enum TypeIdentifier {
    /// The direct parents of the common public types, from Apple's list of system-declared types. An
    /// unknown type conforms to itself only.
    private static let parents: [String: [String]] = [
        "public.data": ["public.item"], "public.content": ["public.item"],
        "public.directory": ["public.item"], "public.folder": ["public.directory"],
        "public.composite-content": ["public.content"],
        "public.text": ["public.data", "public.content"], "public.plain-text": ["public.text"],
        "public.utf8-plain-text": ["public.plain-text"], "public.rtf": ["public.text"],
        "public.html": ["public.text"], "public.xml": ["public.text"], "public.json": ["public.text"],
        "public.source-code": ["public.plain-text"], "public.swift-source": ["public.source-code"],
        "public.comma-separated-values-text": ["public.text"], "public.vcard": ["public.text"],
        "public.image": ["public.data", "public.content"], "public.jpeg": ["public.image"],
        "public.png": ["public.image"], "public.tiff": ["public.image"], "public.heic": ["public.image"],
        "com.compuserve.gif": ["public.image"], "com.microsoft.bmp": ["public.image"],
        "public.svg-image": ["public.image"],
        "public.audiovisual-content": ["public.data", "public.content"],
        "public.movie": ["public.audiovisual-content"], "public.video": ["public.movie"],
        "public.audio": ["public.audiovisual-content"], "public.mp3": ["public.audio"],
        "public.mpeg-4": ["public.movie"], "com.apple.quicktime-movie": ["public.movie"],
        "com.apple.m4a-audio": ["public.audio"], "com.microsoft.waveform-audio": ["public.audio"],
        "com.adobe.pdf": ["public.data", "public.composite-content"],
        "public.archive": ["public.data"], "public.zip-archive": ["public.archive"],
        "public.url": ["public.data"], "public.file-url": ["public.url"],
    ]

    /// Whether two identifiers are the same; letter case does not matter.
    static func areEqual(_ first: String, _ second: String) -> Bool {
        first.lowercased() == second.lowercased()
    }

    /// Whether a type is another one or descends from it.
    static func conforms(_ type: String, to ancestor: String) -> Bool {
        let ancestor = ancestor.lowercased()
        var waiting = [type.lowercased()]
        while let type = waiting.popLast() {
            if type == ancestor { return true }
            waiting += parents[type] ?? []
        }
        return false
    }
}
