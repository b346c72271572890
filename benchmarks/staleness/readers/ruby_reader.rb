# Reads Ruby by its own lexer and parser: one file name a line on standard input, one JSON object a line on standard output:
# {file, ok, tokens: [text...], rows: [line...], defs: [{name, qualname, sig, kind, start, end, first, last}]}
# Strings count by their value, `do` and `end` as brackets, and `then` is no token.
require "json"
require "ripper"

LAYOUT = %i[on_sp on_nl on_ignored_nl on_comment on_embdoc on_embdoc_beg on_embdoc_end on_semicolon on_ignored_by_ripper].freeze
QUOTES = ["'", '"'].freeze

def words(text)
  tokens = Ripper.lex(text).map { |place, kind, word| [place, kind, word] }.reject { |_, kind, _| LAYOUT.include?(kind) }
  tokens = tokens.take_while { |_, kind, _| kind != :on___end__ }
  out = []
  until tokens.empty?
    place, kind, word = tokens.shift
    if kind == :on_tstring_beg && QUOTES.include?(word) && (inside = plain(tokens))
      tokens.shift(inside.empty? ? 1 : 2)
      out << [place, JSON.generate(inside)]
    elsif kind == :on_kw && !(out.any? && [".", "&.", "def"].include?(out.last[1]))
      word = { "do" => "{", "end" => "}" }.fetch(word, word)
      out << [place, word] unless word == "then"
    else
      word = word.strip
      out << [place, word] unless word.empty?
    end
  end
  out
end

# The text of a string in which both quotes mean the same.
def plain(tokens)
  return "" if tokens.first && tokens.first[1] == :on_tstring_end

  content, ending = tokens.first(2)
  return unless content && content[1] == :on_tstring_content && ending && ending[1] == :on_tstring_end

  content[2] unless content[2].match?(/[\\#\n]/)
end

def definitions(node, outer, found)
  return unless node.is_a?(RubyVM::AbstractSyntaxTree::Node)

  inner = outer
  case node.type
  when :CLASS, :MODULE
    inner = [*outer, path_of(node.children[0])]
    found << [node, inner, "type"]
  when :SCLASS
    inner = [*outer, "<<"]
  when :DEFN
    inner = [*outer, node.children[0].to_s]
    found << [node, inner, outer.empty? ? "function" : "method"]
  when :DEFS
    inner = [*outer, "self.#{node.children[1]}"]
    found << [node, inner, "method"]
  end
  node.children.each { |child| definitions(child, inner, found) }
end

def path_of(node)
  return "" unless node.is_a?(RubyVM::AbstractSyntaxTree::Node)

  left, name = node.type == :COLON2 ? node.children : [nil, node.children[-1]]
  [left && path_of(left), name].compact.join("::")
end

def read(file)
  text = File.read(file, encoding: "UTF-8")
  tree = RubyVM::AbstractSyntaxTree.parse(text)
  tokens = words(text)
  rows = tokens.map { |place, _| place[0] }
  found = []
  definitions(tree, [], found)
  defs = found.filter_map do |node, names, kind|
    first = rows.bsearch_index { |row| row >= node.first_lineno }
    last = (rows.bsearch_index { |row| row > node.last_lineno } || rows.size) - 1
    next if first.nil? || last < first

    { name: names[-1].delete_prefix("self."), qualname: names.join("."), sig: "", kind: kind,
      start: node.first_lineno, end: node.last_lineno, first: first, last: last }
  end
  { file: file, ok: true, tokens: tokens.map { |_, word| word }, rows: rows, defs: defs }
rescue SyntaxError, ArgumentError, EncodingError
  { file: file, ok: false, tokens: [], rows: [], defs: [] }
end

$VERBOSE = nil
$stdin.each_line(chomp: true) { |line| puts JSON.generate(read(line)) }
