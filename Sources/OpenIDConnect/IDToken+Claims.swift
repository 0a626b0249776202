/// Claims that providers write in more than one way.
///
/// They are read here and not by jwt-kit's types: `AudienceClaim` stops the process on an empty list, and what a provider signs is
/// as foreign as what anybody else sends.
extension IDToken {
    /// Whom a token is for: a text, or a list of them, which may be empty (Core 1.0, 2).
    struct Audience: Decodable, Sendable {
        let clients: [String]

        /// - Throws: `DecodingError` for what is neither a text nor a list of texts.
        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let client = try? value.decode(String.self) {
                clients = [client]
            } else {
                clients = try value.decode([String].self)
            }
        }
    }

    /// Yes or no. Some providers send it as a text, Apple for example.
    struct Flag: Decodable, Sendable {
        let isSet: Bool

        /// - Throws: `DecodingError` for what is neither a Boolean nor a text; any text but `true` means no.
        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if let flag = try? value.decode(Bool.self) {
                isSet = flag
            } else {
                isSet = try value.decode(String.self) == "true"
            }
        }
    }
}
