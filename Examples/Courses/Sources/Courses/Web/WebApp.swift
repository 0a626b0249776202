import CoreData
import Foundation
import Hummingbird
import NIOCore

/// The pages and what they ask for.
struct WebApp: Sendable {
    let container: NSPersistentContainer
    let editor: CourseEditor
    let courses: LiveCourses

    init(container: NSPersistentContainer) {
        self.container = container
        editor = CourseEditor(container: container)
        courses = LiveCourses(container: container)
    }

    var router: Router<BasicRequestContext> {
        let router = Router()
        router.middlewares.add(PageGuard())
        router.middlewares.add(ErrorPages())
        router.get("/") { _, _ in try await home() }
        router.post("contents/:id/:mark") { request, context in try await mark(request, context) }
        router.get("courses/:id") { request, context in try await course(request, context) }
        router.get("courses/:id/list.json") { request, context in try await list(request, context) }
        router.get("courses/:id/events") { request, context in try await events(request, context) }
        router.post("courses/:id/edits") { request, context in try await edit(request, context) }
        Asset.addAll(to: router)
        return router
    }

    // MARK: The home page

    private func home() async throws -> Response {
        let page = await container.performBackgroundTask { context in
            HomePage(store: CoreDataContentStore(context: context)).html
        }
        return Response(page)
    }

    private func mark(_ request: Request, _ context: some RequestContext) async throws -> Response {
        let id = try context.parameters.require("id", as: Int.self)
        guard let mark = context.parameters.get("mark", as: ContentMark.self) else {
            throw HTTPError(.notFound, message: "That cannot be done with a content.")
        }
        try await editor.save { try mark.apply(toContent: id, at: Date(), in: $0) }
        // Back to the button that was pressed; its name is a fragment of this page and nothing else.
        let from = request.uri.queryParameters.get("from", as: String.self) ?? ""
        let isName = from.utf8.allSatisfy {
            $0 == 0x2D || (0x30...0x39).contains($0) || (0x61...0x7A).contains($0)
        }
        return .redirect(to: isName && !from.isEmpty ? "/#\(from)" : "/")
    }

    // MARK: A course

    private func course(_ request: Request, _ context: some RequestContext) async throws -> Response {
        let (id, isAscending) = try address(request, context)
        return try await container.performBackgroundTask { context in
            let course = try existing(id, context)
            return Response(CoursePage(id: id, title: course.title ?? "", isAscending: isAscending).html)
        }
    }

    /// The list by a fetch of its own, which knows nothing of the controller: what every window must show.
    private func list(_ request: Request, _ context: some RequestContext) async throws -> Response {
        let (id, isAscending) = try address(request, context)
        let data = try await container.performBackgroundTask { context in
            _ = try existing(id, context)
            let lessons = try context.fetch(Lesson.request(courseId: id, isAscending: isAscending))
            return try JSONEncoder.plain.encode(ChapterSnapshot(grouping: lessons))
        }
        return Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
    }

    private func edit(_ request: Request, _ context: some RequestContext) async throws -> Response {
        let (id, _) = try address(request, context)
        let form: CourseEdit.Form
        do {
            form = try await URLEncodedFormDecoder().decode(
                CourseEdit.Form.self, from: request, context: context)
        } catch let error as any HTTPResponseError {
            // A body that is too long, for instance.
            throw error
        } catch {
            throw HTTPError(.badRequest, message: "The form cannot be read.")
        }
        try await editor.apply(try CourseEdit(form), toCourse: id)
        return Response(status: .noContent)
    }

    private func events(_ request: Request, _ context: some RequestContext) async throws -> Response {
        let (id, isAscending) = try address(request, context)
        try await container.performBackgroundTask { _ = try existing(id, $0) }
        let list = try await courses.list(courseId: id, isAscending: isAscending)
        return try await EventStream.response(to: request, try await list.events())
    }

    /// The course and the order that an address names.
    private func address(
        _ request: Request, _ context: some RequestContext
    ) throws -> (courseId: Int, isAscending: Bool) {
        let id = try context.parameters.require("id", as: Int.self)
        return (id, request.uri.queryParameters.get("order") != "descending")
    }

    private func existing(_ courseId: Int, _ context: NSManagedObjectContext) throws -> Course {
        guard let course = try Course.find(courseId, in: context) else {
            throw HTTPError(.notFound, message: "There is no course \(courseId).")
        }
        return course
    }
}

extension Response {
    /// A page.
    init(_ page: HTML) {
        self.init(
            status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: page.text)))
    }
}
