import HummingbirdCore

/// Lets large bodies in only so many at a time, since reading one takes a multiple of it.
struct WorkPolicy: RequestPolicy {
    let budget: ByteBudget

    func enter(_ passage: inout RequestPassage) async throws {
        guard let bytes = passage.body?.bytes.count, bytes > RequestPassage.smallBodyBytes else { return }
        try await budget.enter(room: bytes, taking: bytes, of: passage.parties?.taker)
        passage.workBytes = bytes
    }

    func leave(_ passage: inout RequestPassage, _ response: inout Response) {
        guard passage.workBytes > 0 else { return }
        budget.give(passage.workBytes)
        passage.workBytes = 0
    }
}
