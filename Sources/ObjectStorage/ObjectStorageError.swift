import Foundation

/// Why an object could not be written, read or found.
public struct ObjectStorageError: Error, Sendable, CustomStringConvertible {
    /// A name that does not change between versions.
    public let code: String
    /// What happened, in a sentence.
    public let message: String
    /// What to do about it.
    public let remedy: String
    /// What lies beneath.
    public let cause: (any Error)?

    init(_ code: String, _ message: String, remedy: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
        self.cause = cause
    }

    public var description: String {
        cause.map { "\(code): \(message) (cause: \($0))" } ?? "\(code): \(message)"
    }

    /// Whether there is no object of the name.
    public var isMissing: Bool { code == Self.missingCode }
    /// Whether the disk of a folder is full.
    public var isFull: Bool { code == Self.fullCode }

    private static let missingCode = "OBJECT_MISSING"
    private static let fullCode = "OBJECT_DISK_FULL"

    static func missing(_ name: String, in location: String) -> ObjectStorageError {
        ObjectStorageError(
            missingCode, "There is no \(name) in \(location).",
            remedy: "Check the address, and whether somebody removed objects there.")
    }

    static func tooLong(_ name: String) -> ObjectStorageError {
        ObjectStorageError(
            "OBJECT_TOO_LONG", "\(name) has more bytes than it may have.",
            remedy: "Check who else writes there.")
    }

    static func damaged(_ name: String) -> ObjectStorageError {
        ObjectStorageError(
            "OBJECT_DAMAGED", "\(name) came with other bytes than the store's own checksum says.",
            remedy: "Try again; if it fails again, the object is damaged.")
    }

    static func file(_ what: String, _ path: String, _ number: Int32) -> ObjectStorageError {
        if number == ENOSPC || number == EDQUOT {
            return ObjectStorageError(
                fullCode, "The disk of \(path) is full.",
                remedy: "Free some space there, or name another location.")
        }
        return ObjectStorageError(
            "OBJECT_FILE", "\(path) cannot be \(what): \(String(cString: strerror(number))).",
            remedy: "Check that the folder exists and that this user may read and write it.")
    }
}

// MARK: S3

extension ObjectStorageError {
    static func location(_ text: String, _ what: String) -> ObjectStorageError {
        ObjectStorageError(
            "S3_ADDRESS", "'\(text)' is not the address of a bucket: \(what)",
            remedy:
                "Write s3://BUCKET/PREFIX, with ?endpoint=https://HOST&region=REGION after it, for a store that is not AWS."
        )
    }

    static let secretInAddress = ObjectStorageError(
        "S3_ADDRESS", "An address of a bucket may hold no key: others can read arguments and settings.",
        remedy: "Give the key in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or in ~/.aws/credentials.")

    static func noCredentials(_ what: String) -> ObjectStorageError {
        ObjectStorageError(
            "S3_NO_CREDENTIALS", "There is no key for the S3-compatible store: \(what)",
            remedy:
                "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SHARED_CREDENTIALS_FILE to a file that only this user can read."
        )
    }

    static func unreachable(_ endpoint: String, _ cause: any Error) -> ObjectStorageError {
        ObjectStorageError(
            "S3_UNREACHABLE", "\(endpoint) did not answer.",
            remedy: "Check that the endpoint is right and can be reached from this machine.", cause: cause)
    }

    /// What a store answered that is not success.
    ///
    /// - Parameters:
    ///   - code: the code in its answer; empty where it has none.
    ///   - skew: by how many seconds this machine's clock is ahead of the store's.
    static func answer(
        _ status: Int, code: String, message: String, location: String, region: String, skew: Int
    ) -> ObjectStorageError {
        switch (status, code) {
        case (_, "InvalidAccessKeyId"), (_, "SignatureDoesNotMatch"), (401, _), (_, "InvalidToken"),
            (_, "ExpiredToken"):
            return ObjectStorageError(
                "S3_WRONG_KEY", "\(location) does not take the key (\(code.isEmpty ? "\(status)" : code)).",
                remedy:
                    "Compare AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY with the store's; a session's key needs AWS_SESSION_TOKEN, and ends."
            )
        case (_, "RequestTimeTooSkewed"),
            (403, _) where abs(skew) > 600:
            return ObjectStorageError(
                "S3_CLOCK",
                "This machine's clock is \(abs(skew)) seconds \(skew < 0 ? "behind" : "ahead of") that of \(location), which refuses it.",
                remedy: "Set the clock: timedatectl set-ntp true")
        case (_, "NoSuchBucket"):
            return ObjectStorageError(
                "S3_NO_BUCKET", "There is no bucket for \(location).",
                remedy: "Create the bucket first, or correct its name; Stratus does not create buckets.")
        case (_, "AuthorizationHeaderMalformed"), (_, "PermanentRedirect"), (301, _), (307, _):
            return ObjectStorageError(
                "S3_WRONG_REGION", "\(location) is not in the region '\(region)'.",
                remedy: "Name the bucket's region: ?region=REGION after the address, or AWS_REGION.")
        case (403, _):
            return ObjectStorageError(
                "S3_DENIED", "The key may not do this in \(location) (\(code.isEmpty ? "403" : code)).",
                remedy:
                    "Allow it s3:ListBucket, s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload there."
            )
        case (507, _), (_, "XMinioStorageFull"), (_, "QuotaExceeded"):
            return ObjectStorageError(
                "S3_FULL", "\(location) has no room left.", remedy: "Free some space there.")
        default:
            return ObjectStorageError(
                "S3_FAILED",
                "\(location) answered \(status)\(code.isEmpty ? "" : " \(code)")\(message.isEmpty ? "." : ": \(message)")",
                remedy: "See the storage service's own log; if it is busy, try again later.")
        }
    }
}
