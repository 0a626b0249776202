import Testing

@testable import RecordServer

@Suite struct LargePiecesTests {
    @Test func `Pieces are large while there is room for them, and nobody waits`() {
        let pieces = LargePieces(capacity: 2 * LargePieces.largeBytes)
        #expect(pieces.begin() == LargePieces.largeBytes && pieces.begin() == LargePieces.largeBytes)
        #expect(pieces.begin() == LargePieces.smallBytes && pieces.held == 2 * LargePieces.largeBytes)
        pieces.end(LargePieces.smallBytes)
        pieces.end(LargePieces.largeBytes)
        #expect(pieces.begin() == LargePieces.largeBytes)
        pieces.end(LargePieces.largeBytes)
        pieces.end(LargePieces.largeBytes)
        #expect(pieces.held == 0)
    }
}
