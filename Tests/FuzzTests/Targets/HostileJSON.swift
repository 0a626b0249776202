/// Values of JSON at which readers break: empty and nested lists, numbers out of any range, texts that are numbers.
enum HostileJSON {
    static let values = [
        "[]", "{}", "null", "true", "false", "0", "-0", "-1", "0.5", "1e308", "-1e308", "1e309", "1e-400",
        "9223372036854775807", "9223372036854775808", "-9223372036854775809", "18446744073709551616", "\"\"",
        "\"0\"", "\"true\"", "\"nan\"", "\"client\"", "[\"client\"]", "[\"client\",\"client\"]",
        "[\"client\",1]",
        "[null]", "[[]]", "[[\"client\"]]", "{\"client\":[]}", "\"\\u0000\"", "\"\\ud800\"", "\"\\uFEFF\"",
        "1700000000.5", "17000000000000000000000", "\"" + String(repeating: "a", count: 300) + "\"",
        String(repeating: "[", count: 600) + String(repeating: "]", count: 600),
    ]

    /// The names of claims that may come besides.
    private static let more = ["nbf", "azp", "email", "email_verified", "auth_time", "amr"]

    static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    /// An object in which some members have other values: each two bytes say which member, and which value.
    static func replacing(members: [(String, String)], by choices: [UInt8]) -> String {
        var members = members
        for start in stride(from: 0, to: choices.count - 1, by: 2).prefix(8) {
            let (member, value) = (Int(choices[start]), values[Int(choices[start + 1]) % values.count])
            let place = member % (members.count + more.count)
            if place < members.count {
                members[place].1 = value
            } else if let name = more.first(where: { name in !members.contains { $0.0 == name } }) {
                members.append((name, value))
            }
        }
        return object(members)
    }
}
