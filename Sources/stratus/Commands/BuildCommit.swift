import CBuildStamp

extension StratusVersion {
    /// The commit that a package was built from; `dev` in a developer's build.
    static let commit = String(cString: stratus_build_commit())

    /// The version with its commit: `0.2.0 (1a2b3c4d5e6f)`.
    static var text: String { "\(number) (\(commit))" }
}
