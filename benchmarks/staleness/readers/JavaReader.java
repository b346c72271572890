// Reads Java by javac's own parser: one file name a line on standard input, one JSON object a line on standard output:
// {file, ok, tokens: [text...], rows: [line...], defs: [{name, qualname, sig, kind, start, end, first, last}]}
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.Trees;
import com.sun.tools.javac.api.JavacTaskImpl;
import com.sun.tools.javac.parser.Scanner;
import com.sun.tools.javac.parser.ScannerFactory;
import com.sun.tools.javac.parser.Tokens;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

public final class JavaReader {
  private final StringBuilder defs = new StringBuilder();
  private final CompilationUnitTree unit;
  private final SourcePositions positions;
  private final TreeMap<Integer, Integer> starts;

  private JavaReader(CompilationUnitTree unit, SourcePositions positions, TreeMap<Integer, Integer> starts) {
    this.unit = unit;
    this.positions = positions;
    this.starts = starts;
  }

  private void walk(ClassTree type, String outer) {
    String qualname = outer + type.getSimpleName();
    add(type, type.getSimpleName().toString(), qualname, "", "type");
    for (Tree member : type.getMembers()) {
      if (member instanceof ClassTree) {
        walk((ClassTree) member, qualname + ".");
      } else if (member instanceof MethodTree && ((MethodTree) member).getBody() != null) {
        MethodTree method = (MethodTree) member;
        String name = method.getName().toString();
        if (name.equals("<init>")) name = type.getSimpleName().toString();
        StringBuilder sig = new StringBuilder();
        for (VariableTree one : method.getParameters()) {
          sig.append(one.getType().toString().replaceAll("<.*>|@\\w+(\\([^)]*\\))?|\\s", "")).append(",");
        }
        add(method, name, qualname + "." + name, sig.toString(), "method");
      }
    }
  }

  private void add(Tree tree, String name, String qualname, String sig, String kind) {
    long from = positions.getStartPosition(unit, tree);
    long to = positions.getEndPosition(unit, tree);
    if (from < 0 || to <= from || name.isEmpty()) return;
    Map.Entry<Integer, Integer> first = starts.ceilingEntry((int) from);
    Map.Entry<Integer, Integer> last = starts.floorEntry((int) to - 1);
    if (first == null || last == null) return;
    if (defs.length() > 0) defs.append(",");
    defs.append("{\"name\":").append(quoted(name)).append(",\"qualname\":").append(quoted(qualname));
    defs.append(",\"sig\":").append(quoted(sig)).append(",\"kind\":\"").append(kind).append('"');
    defs.append(",\"start\":").append(unit.getLineMap().getLineNumber(first.getKey()));
    defs.append(",\"end\":").append(unit.getLineMap().getLineNumber(to - 1));
    defs.append(",\"first\":").append(first.getValue()).append(",\"last\":").append(last.getValue()).append("}");
  }

  private static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      if (c == '"' || c == '\\') out.append('\\').append(c);
      else if (c < ' ' || c > '~') out.append(String.format("\\u%04x", (int) c));
      else out.append(c);
    }
    return out.append('"').toString();
  }

  private static String read(JavaCompiler compiler, String name) throws Exception {
    DiagnosticCollector<JavaFileObject> faults = new DiagnosticCollector<>();
    StandardJavaFileManager files = compiler.getStandardFileManager(faults, null, StandardCharsets.UTF_8);
    Iterable<? extends JavaFileObject> units = files.getJavaFileObjects(Path.of(name));
    JavacTask task = (JavacTask) compiler.getTask(null, files, faults, List.of("-proc:none"), null, units);
    CompilationUnitTree unit = task.parse().iterator().next();
    boolean ok = faults.getDiagnostics().stream().noneMatch(d -> d.getKind() == Diagnostic.Kind.ERROR);
    List<String> texts = new ArrayList<>();
    StringBuilder rows = new StringBuilder();
    TreeMap<Integer, Integer> starts = new TreeMap<>();
    JavaReader reader = new JavaReader(unit, Trees.instance(task).getSourcePositions(), starts);
    if (ok) {
      CharSequence source = unit.getSourceFile().getCharContent(true);
      Scanner scanner = ScannerFactory.instance(((JavacTaskImpl) task).getContext()).newScanner(source, false);
      scanner.nextToken();
      for (; scanner.token().kind != Tokens.TokenKind.EOF; scanner.nextToken()) {
        starts.put(scanner.token().pos, texts.size());
        rows.append(rows.length() > 0 ? "," : "").append(unit.getLineMap().getLineNumber(scanner.token().pos));
        texts.add(source.subSequence(scanner.token().pos, scanner.token().endPos).toString());
      }
      for (Tree tree : unit.getTypeDecls()) {
        if (tree instanceof ClassTree) reader.walk((ClassTree) tree, "");
      }
    }
    StringBuilder tokens = new StringBuilder();
    for (String text : texts) tokens.append(tokens.length() > 0 ? "," : "").append(quoted(text));
    String head = "{\"file\":" + quoted(name) + ",\"ok\":" + ok + ",\"tokens\":[" + tokens + "],\"rows\":[" + rows;
    return head + "],\"defs\":[" + reader.defs + "]}";
  }

  public static void main(String[] args) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    BufferedReader names = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String name; (name = names.readLine()) != null; ) {
      if (!name.isEmpty()) out.println(read(compiler, name));
    }
    out.flush();
  }
}
