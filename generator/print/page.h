// Text that is broken into lines of a given width.
#pragma once

#include <string>
#include <vector>

namespace opgen {

/// A piece of C++, and where it may be broken.
class Piece {
 public:
  Piece() = default;
  Piece(std::string text) : text_(std::move(text)) {}  // NOLINT: text is a piece
  Piece(const char* text) : text_(text) {}             // NOLINT

  /// "open item, item close": broken in front of items.
  static Piece list(std::string open, std::vector<Piece> items, std::string close, std::string separator = ", ");
  /// "a + b + c": broken in front of the operators, which stand at the start of an item.
  static Piece chain(std::vector<Piece> items);
  /// Pieces without a place to break between them.
  static Piece row(std::vector<Piece> items);
  /// "head { line line }": the lines stand apart unless all fits.
  static Piece block(std::string head, std::vector<Piece> lines, std::string close);
  /// A literal text of C++; long ones are broken at their spaces.
  static Piece literal(std::string quoted);

  /// On one line.
  std::string flat() const;

 private:
  friend class Page;
  enum class Kind : unsigned char { text, list, chain, row, block, literal };
  Kind kind_ = Kind::text;
  std::string text_, close_, separator_;
  std::vector<Piece> items_;
};

/// Lines of C++.
class Page {
 public:
  explicit Page(size_t width = 120) : width_(width) {}

  void line(const Piece& piece);
  void comment(const std::string& text);
  void open(const Piece& piece) {
    line(piece);
    ++depth_;
  }
  void close(const std::string& text = "}") {
    --depth_;
    line(text);
  }
  /// "} else {"
  void between(const Piece& piece) {
    --depth_;
    open(piece);
  }
  /// A line that belongs to the one before.
  void inner(const Piece& piece) {
    ++depth_;
    line(piece);
    --depth_;
  }
  const std::string& text() const { return text_; }
  void indent(size_t depth) { depth_ = depth; }
  bool fits(const Piece& piece) const { return depth_ * 2 + piece.flat().size() <= width_; }

 private:
  void write(const Piece& piece, size_t indent);
  void write_list(const Piece& piece, size_t indent);
  void write_chain(const Piece& piece, size_t indent);
  void write_block(const Piece& piece, size_t indent);
  void write_literal(const Piece& piece, size_t indent);
  void put(const std::string& text);
  void new_line(size_t indent);
  bool room_for(size_t length) const { return column_ + length <= width_; }

  size_t width_;
  size_t depth_ = 0;
  size_t column_ = 0;
  std::string text_;
};

}  // namespace opgen
