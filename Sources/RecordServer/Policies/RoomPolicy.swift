import HummingbirdCore

/// Waits for room for the answer. It may be gone when the store gets to the request, so it is asked for again there, and taken.
struct RoomPolicy: RequestPolicy {
    let answers: OutgoingAnswers

    func enter(_ passage: inout RequestPassage) async throws {
        guard passage.isCall else { return }
        let taker = passage.parties?.taker
        try await answers.waitForRoom(for: taker)
        passage.room = answers.making(for: taker)
    }

    /// From here on the answer's body counts.
    func leave(_ passage: inout RequestPassage, _ response: inout Response) {
        passage.room?.end()
        passage.room = nil
    }
}
