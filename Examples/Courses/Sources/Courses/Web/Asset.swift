import Hummingbird
import NIOCore

/// The files of the pages, which are part of the program.
enum Asset {
    static func addAll(to router: Router<BasicRequestContext>) {
        add("courses.css", "text/css; charset=utf-8", PackageResources.courses_css, to: router)
        add("course.js", "text/javascript; charset=utf-8", PackageResources.course_js, to: router)
        add("rows.js", "text/javascript; charset=utf-8", PackageResources.rows_js, to: router)
        add("icon.svg", "image/svg+xml", PackageResources.icon_svg, to: router)
    }

    private static func add(
        _ name: String, _ type: String, _ bytes: [UInt8], to router: Router<BasicRequestContext>
    ) {
        let body = ByteBuffer(bytes: bytes)
        router.get(RouterPath(name)) { _, _ in
            Response(
                status: .ok, headers: [.contentType: type, .cacheControl: "no-cache"],
                body: ResponseBody(byteBuffer: body))
        }
    }
}
