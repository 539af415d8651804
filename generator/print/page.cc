#include "generator/print/page.h"

#include <algorithm>

namespace opgen {
namespace {

constexpr size_t kContinued = 4;  // indentation of a continuation line

}  // namespace

Piece Piece::list(std::string open, std::vector<Piece> items, std::string close, std::string separator) {
  Piece p(std::move(open));
  p.kind_ = Kind::list;
  p.items_ = std::move(items);
  p.close_ = std::move(close);
  p.separator_ = std::move(separator);
  return p;
}

Piece Piece::chain(std::vector<Piece> items) {
  Piece p;
  p.kind_ = Kind::chain;
  p.items_ = std::move(items);
  return p;
}

Piece Piece::row(std::vector<Piece> items) {
  Piece p;
  p.kind_ = Kind::row;
  p.items_ = std::move(items);
  return p;
}

Piece Piece::block(std::string head, std::vector<Piece> lines, std::string close) {
  Piece p(std::move(head));
  p.kind_ = Kind::block;
  p.items_ = std::move(lines);
  p.close_ = std::move(close);
  return p;
}

Piece Piece::literal(std::string quoted) {
  Piece p(std::move(quoted));
  p.kind_ = Kind::literal;
  return p;
}

std::string Piece::flat() const {
  std::string out = text_;
  for (size_t i = 0; i < items_.size(); ++i) {
    if (kind_ == Kind::list && i > 0) out += separator_;
    if (kind_ == Kind::chain && i > 0) out += " ";
    if (kind_ == Kind::block) out += " ";
    out += items_[i].flat();
  }
  if (kind_ == Kind::block && !items_.empty()) out += " ";
  return out + close_;
}

void Page::put(const std::string& text) {
  text_ += text;
  column_ += text.size();
}

void Page::new_line(size_t indent) {
  while (!text_.empty() && text_.back() == ' ') text_.pop_back();
  text_ += "\n" + std::string(indent, ' ');
  column_ = indent;
}

void Page::line(const Piece& piece) {
  const size_t indent = depth_ * 2;
  column_ = 0;
  const std::string flat = piece.flat();
  if (!flat.empty()) put(std::string(indent, ' '));
  write(piece, indent);
  text_ += "\n";
}

void Page::comment(const std::string& text) {
  const std::string start = std::string(depth_ * 2, ' ') + "//";
  std::string line = start;
  for (size_t from = 0; from < text.size();) {
    const size_t to = std::min(text.find(' ', from), text.size());
    if (line.size() + 1 + to - from > width_ && line != start) {
      text_ += line + "\n";
      line = start;
    }
    line += " " + text.substr(from, to - from);
    from = to + 1;
  }
  text_ += line + "\n";
}

void Page::write(const Piece& piece, size_t indent) {
  const std::string flat = piece.flat();
  if (room_for(flat.size())) return put(flat);
  switch (piece.kind_) {
    case Piece::Kind::text: return put(flat);
    case Piece::Kind::row:
      for (const Piece& item : piece.items_) write(item, indent);
      return;
    case Piece::Kind::list: return write_list(piece, indent);
    case Piece::Kind::chain: return write_chain(piece, indent);
    case Piece::Kind::block: return write_block(piece, indent);
    case Piece::Kind::literal: return write_literal(piece, indent);
  }
}

void Page::write_list(const Piece& piece, size_t indent) {
  put(piece.text_);
  const size_t inner = indent + kContinued;
  for (size_t i = 0; i < piece.items_.size(); ++i) {
    const bool last = i + 1 == piece.items_.size();
    const Piece& item = piece.items_[i];
    const size_t tail = last ? piece.close_.size() + 1 : piece.separator_.size();
    const size_t length = item.flat().size() + tail;
    // A block opens at the end of the line; text that fits nowhere is broken in place.
    const bool opens = item.kind_ == Piece::Kind::block && room_for(item.text_.size());
    const bool breaks_here = item.kind_ != Piece::Kind::block && item.kind_ != Piece::Kind::text &&
                             inner + length > width_ && column_ + length / 4 < width_;
    const bool stays = room_for(length) || opens || breaks_here;
    if (!stays && column_ > inner) new_line(inner);
    write(item, opens || item.kind_ == Piece::Kind::chain ? indent : inner);
    if (!last) put(piece.separator_);
  }
  put(piece.close_);
}

void Page::write_chain(const Piece& piece, size_t indent) {
  const size_t inner = indent + kContinued;
  for (size_t i = 0; i < piece.items_.size(); ++i) {
    const size_t length = piece.items_[i].flat().size();
    if (i > 0) {
      if (room_for(length + 2)) put(" ");
      else new_line(inner);
    }
    write(piece.items_[i], i > 0 ? inner : indent);
  }
}

void Page::write_block(const Piece& piece, size_t indent) {
  put(piece.text_);
  for (const Piece& line : piece.items_) {
    new_line(indent + 2);
    write(line, indent + 2);
  }
  new_line(indent);
  put(piece.close_);
}

void Page::write_literal(const Piece& piece, size_t indent) {
  const std::string& all = piece.text_;
  const size_t inner = indent + kContinued;
  if (column_ + 24 > width_) new_line(inner);
  size_t from = 0;
  while (column_ + all.size() - from > width_) {
    const size_t space = all.rfind(' ', from + width_ - column_ - 2);
    if (space == std::string::npos || space <= from) break;
    put((from > 0 ? "\"" : "") + all.substr(from, space + 1 - from) + "\"");
    new_line(inner);
    from = space + 1;
  }
  put((from > 0 ? "\"" : "") + all.substr(from));
}

}  // namespace opgen
