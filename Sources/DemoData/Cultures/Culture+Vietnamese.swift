extension Culture {
    /// Vietnamese names and sentences.
    static let vietnamese = Culture(
        given: [
            "Anh", "Minh", "Hương", "Tuấn", "Linh", "Dũng", "Thảo", "Hùng", "Ngọc", "Quân", "Trang",
            "Đức", "Mai", "Sơn", "Hạnh", "Phong", "Yến", "Khánh", "Vân", "Thắng",
        ],
        family: [
            "Nguyễn", "Trần", "Lê", "Phạm", "Hoàng", "Huỳnh", "Phan", "Vũ", "Võ", "Đặng", "Bùi", "Đỗ",
            "Hồ", "Ngô", "Dương", "Lý", "Đinh", "Trịnh", "Mai", "Tô",
        ],
        familyFirst: true,
        textLength: 170,
        bio: [
            "Tôi chơi bóng từ năm {year} và luôn đến sân sớm nhất.",
            "Buổi chiều bạn có thể gặp tôi ở các sân bóng của {city}.",
            "Cuối tuần tôi dạy {n} em nhỏ trong xóm, và các em dạy tôi sự kiên nhẫn.",
            "Ngày nhỏ chúng tôi dùng hai chiếc dép làm khung thành.",
            "Sau chấn thương, tôi học cách suy nghĩ trước khi chạy.",
            "Tôi làm việc trong một hiệu sách nhỏ gần bờ sông.",
            "Đội bóng là gia đình thứ hai của tôi.",
            "Trời mưa hay nắng, tôi không bỏ lỡ trận nào.",
        ],
        titles: [
            "{n} tuần tập sớm dạy tôi điều gì", "Trận cầu mưa ở {city}", "Tìm thủ môn",
            "Vì sao chúng tôi thua", "Cảm ơn mọi người",
        ],
        posts: [
            "Mười phút đầu chúng tôi đã thua hai bàn.",
            "Sân ngập nước nhưng trọng tài vẫn cho đá.",
            "Sau trận, {n} người chúng tôi đi ăn phở.",
            "Tối thứ ba ai rảnh thì đến chơi nhé.",
            "Tôi xem lại {n} lần mà vẫn không hiểu đường chuyền ấy.",
            "Tháng sau chúng tôi đi biển, còn {n} chỗ.",
        ],
        restaurants: [
            "Quán {family}", "Bếp {given}", "Phở {n}", "Hương vị {city}",
        ],
        cuisines: [
            "Phở", "Hải sản", "Cà phê", "Cơm tấm", "Bánh mì",
        ],
        descriptions: [
            "Quán nhỏ {n} bàn của gia đình {family} từ năm {year}.",
            "Thực đơn đổi mỗi tuần theo chợ {city}.",
            "Bánh mì ra lò lúc sáu giờ sáng.",
            "Mùa hè nên ngồi ngoài sân, dưới giàn hoa.",
        ],
        streets: [
            "Đường Lê Lợi", "Phố Huế", "Đường Trần Phú", "Đường Nguyễn Huệ", "Phố Hàng Bạc",
        ])
}
