import RecordEngine

/// Looks at who sends a request, so that nobody's body is taken who is not let in.
struct AdmissionPolicy: RequestPolicy {
    let service: RecordService

    func enter(_ passage: inout RequestPassage) async throws {
        guard let call = passage.call else { return }
        passage.admission = try await service.admit(call)
    }
}
