/// `cloudkit.js` twice: as the module that its sources are, and as a plain script, which pages written for CloudKit JS load
/// with `<script src="…" async>`.
enum CloudKitScript {
    /// The sources, in the order in which one uses the other.
    static let module =
        PackageResources.cloudkit_core_js + PackageResources.cloudkit_sign_in_js
        + PackageResources.cloudkit_sharing_js + PackageResources.cloudkit_share_texts_js
        + PackageResources.cloudkit_share_dialog_js + PackageResources.cloudkit_databases_js

    /// The module without what only modules have: nothing is exported, and `CloudKit` of `window` is all that is left behind.
    static let classic: [UInt8] = {
        let lines = String(decoding: module, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        let plain = lines.compactMap { line -> Substring? in
            if line.hasPrefix("export default ") { return nil }
            return line.hasPrefix("export ") ? line.dropFirst("export ".count) : line
        }
        let body = plain.joined(separator: "\n").replacing("import.meta.url", with: "servedFrom")
        // The element that loads it is known while it runs only.
        let origin = "const servedFrom = globalThis.document?.currentScript?.src ?? location.href;"
        return Array("(() => {\n\"use strict\";\n\(origin)\n\(body)\n})();\n".utf8)
    }()
}
