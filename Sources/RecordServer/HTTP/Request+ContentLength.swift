import HTTPTypes
import Hummingbird

extension Request {
    /// The length of the body as the head tells it, once; nil where it tells none.
    ///
    /// Asking the fields for a value puts all of a name together in a new text, which each request would pay for.
    var contentLength: Int? {
        var length: Int?
        for field in headers where field.name == .contentLength {
            guard length == nil else { return nil }
            length = Int(field.value)
        }
        return length
    }
}
