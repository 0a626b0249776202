internal import Foundation

/// Reading archives that may be something else.
///
/// NB: on Linux an unarchiver stops the process at a missing key, unless its failure policy says otherwise
/// (seen with Swift 6.3.1), so keys are looked for first. A value of another class is left to that policy, which
/// cannot be changed once decoding has begun; `unarchivedObject(ofClass:from:)` uses the policy that throws.
extension NSCoder {
    /// The object of a class under a key; nil where there is none.
    func safeObject<Object: NSObject & NSCoding>(of type: Object.Type, forKey key: String) -> Object? {
        containsValue(forKey: key) ? decodeObject(of: type, forKey: key) : nil
    }

    /// The text under a key; nil where there is none.
    func safeText(forKey key: String) -> String? { safeObject(of: NSString.self, forKey: key)?.description }

    /// The bytes under a key; nil where there are none.
    func safeData(forKey key: String) -> Data? {
        safeObject(of: NSData.self, forKey: key).map { Data(referencing: $0) }
    }

    /// The integer under a key; 0 where there is none.
    func safeInt64(forKey key: String) -> Int64 { containsValue(forKey: key) ? decodeInt64(forKey: key) : 0 }

    /// The integer under a key; nil where there is none.
    func safeInteger(forKey key: String) -> Int? {
        containsValue(forKey: key) ? Int(truncatingIfNeeded: decodeInt64(forKey: key)) : nil
    }

    /// The number under a key; nil where there is none.
    func safeDouble(forKey key: String) -> Double? {
        containsValue(forKey: key) ? decodeDouble(forKey: key) : nil
    }

    /// The texts under a key; nil where there are none.
    func safeTexts(forKey key: String) -> [String]? {
        guard containsValue(forKey: key) else { return nil }
        let array = decodeObject(of: [NSArray.self, NSString.self], forKey: key) as? NSArray
        return array?.compactMap { $0 as? String }
    }

    /// Writes texts, or nothing for nil.
    func encode(texts: [String]?, forKey key: String) {
        if let texts { encode(NSArray(array: texts.map { NSString(string: $0) }), forKey: key) }
    }
}
