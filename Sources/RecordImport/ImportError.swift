/// Why a file cannot be imported as it was asked for.
package struct ImportError: Error, Equatable {
    /// What is wrong, in a sentence.
    package var sentence: String
    /// What to do about it.
    package var remedy: String?

    /// Creates an error.
    package init(_ sentence: String, remedy: String? = nil) {
        self.sentence = sentence
        self.remedy = remedy
    }
}
