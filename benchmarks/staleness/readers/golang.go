// Reads Go by its own parser: one file name a line on standard input, one JSON object a line on standard output:
// {file, ok, tokens: [text...], rows: [line...], defs: [{name, qualname, sig, kind, start, end, first, last}]}
package main

import (
	"bufio"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
)

type definition struct {
	Name     string `json:"name"`
	Qualname string `json:"qualname"`
	Sig      string `json:"sig"`
	Kind     string `json:"kind"`
	Start    int    `json:"start"`
	End      int    `json:"end"`
	First    int    `json:"first"`
	Last     int    `json:"last"`
}

type reading struct {
	File   string       `json:"file"`
	Ok     bool         `json:"ok"`
	Tokens []string     `json:"tokens"`
	Rows   []int        `json:"rows"`
	Defs   []definition `json:"defs"`
}

// scan gives the tokens without comments and without semicolons, their lines and their offsets.
func scan(source []byte) ([]string, []int, []int) {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(source))
	var lexer scanner.Scanner
	lexer.Init(file, source, func(token.Position, string) {}, 0)
	texts, rows, offsets := []string{}, []int{}, []int{}
	for {
		pos, kind, literal := lexer.Scan()
		if kind == token.EOF {
			return texts, rows, offsets
		}
		if kind == token.SEMICOLON {
			continue
		}
		if literal == "" {
			literal = kind.String()
		}
		texts = append(texts, literal)
		rows = append(rows, file.Line(pos))
		offsets = append(offsets, file.Offset(pos))
	}
}

func receiver(expr ast.Expr) string {
	switch of := expr.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	case *ast.ParenExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return "?"
}

func read(name string) reading {
	out := reading{File: name, Tokens: []string{}, Rows: []int{}, Defs: []definition{}}
	source, err := os.ReadFile(name)
	if err != nil {
		return out
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
	if err != nil {
		return out
	}
	var offsets []int
	out.Ok = true
	out.Tokens, out.Rows, offsets = scan(source)
	add := func(name, qualname, kind string, from, to token.Pos) {
		first, last := -1, -1
		start, end := set.Position(from), set.Position(to-1)
		for number, offset := range offsets {
			if first < 0 && offset >= start.Offset {
				first = number
			}
			if offset <= end.Offset {
				last = number
			}
		}
		out.Defs = append(out.Defs, definition{name, qualname, "", kind, start.Line, end.Line, first, last})
	}
	for _, node := range parsed.Decls {
		switch of := node.(type) {
		case *ast.FuncDecl:
			if of.Body == nil {
				continue
			}
			if of.Recv != nil && len(of.Recv.List) == 1 {
				add(of.Name.Name, receiver(of.Recv.List[0].Type)+"."+of.Name.Name, "method", of.Pos(), of.End())
			} else {
				add(of.Name.Name, of.Name.Name, "function", of.Pos(), of.End())
			}
		case *ast.GenDecl:
			if of.Tok != token.TYPE {
				continue
			}
			for _, spec := range of.Specs {
				one := spec.(*ast.TypeSpec)
				from, to := one.Pos(), one.End()
				if !of.Lparen.IsValid() {
					from, to = of.Pos(), of.End()
				}
				add(one.Name.Name, one.Name.Name, "type", from, to)
			}
		}
	}
	return out
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	names := bufio.NewScanner(os.Stdin)
	for names.Scan() {
		if names.Text() != "" {
			if err := encoder.Encode(read(names.Text())); err != nil {
				panic(err)
			}
		}
	}
}
