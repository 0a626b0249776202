import HTTPTypes
import HummingbirdCore

/// Adds to each answer what is left of the tightest rate (draft-ietf-httpapi-ratelimit-headers-10).
struct RateHeaderPolicy: RequestPolicy {
    func leave(_ passage: inout RequestPassage, _ response: inout Response) {
        guard let standing = passage.standing else { return }
        let seconds = (standing.level.untilFull + 999_999_999) / 1_000_000_000
        // Put together by hand: each answer has them, and interpolation takes several times as long.
        let name = "\"" + standing.policy
        response.headers.append(
            HTTPField(
                name: ResponseHeaders.rateLimitPolicy,
                value: name + "\";q=" + String(standing.perMinute) + ";w=60"))
        response.headers.append(
            HTTPField(
                name: ResponseHeaders.rateLimit,
                value: name + "\";r=" + String(standing.level.remaining) + ";t=" + String(seconds)))
    }
}
