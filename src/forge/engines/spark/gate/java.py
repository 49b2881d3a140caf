"""The part of the gate that runs inside the JVM, compiled there by Spark's own Janino: one call lists a whole tree.

Walking a tree from Python costs a round trip for each node, and Spark's JSON of a tree omits what is in maps and
tuples (window definitions, CTEs). `ForgeListing` visits everything a tree contains."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

MOST_NODES = 100_000


@dataclass(frozen=True, slots=True)
class TreePart:
    """A node of a tree, or another object in it. `names`: the name of a relation, function or view; of a range its
    number of rows."""

    type: str  # the name of its class
    is_node: bool
    names: tuple[str, ...] = ()


_SOURCE = """
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.antlr.v4.runtime.CharStreams;
import org.antlr.v4.runtime.CommonTokenStream;
import org.antlr.v4.runtime.Token;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry$;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction;
import org.apache.spark.sql.catalyst.analysis.UnresolvedGenerator;
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation;
import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.parser.ParserInterface;
import org.apache.spark.sql.catalyst.parser.SqlBaseLexer;
import org.apache.spark.sql.catalyst.parser.UpperCaseCharStream;
import org.apache.spark.sql.catalyst.plans.logical.Range;
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedWith;
import org.apache.spark.sql.catalyst.plans.logical.View;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.DataType;

public class ForgeListing {
    public String list(Object root) throws Exception {
        ArrayList found = new ArrayList();
        IdentityHashMap seen = new IdentityHashMap();
        ArrayDeque todo = new ArrayDeque();
        todo.push(root);
        while (!todo.isEmpty()) {
            Object one = todo.pop();
            if (seen.put(one, Boolean.TRUE) != null) continue;
            if (found.size() > MOST_NODES) throw new IllegalArgumentException("the query is too large");
            visit(one, found, todo);
        }
        return new ObjectMapper().writeValueAsString(found);
    }

    private static void visit(Object one, ArrayList found, ArrayDeque todo) {
        boolean isNode = one instanceof TreeNode;
        String type = one.getClass().getName();
        if (isNode || (one instanceof scala.Product && !type.startsWith("scala."))) {
            ArrayList entry = new ArrayList();
            entry.add(type + mark(one));
            entry.add(Boolean.valueOf(isNode));
            names(one, entry);
            found.add(entry);
        }
        // What a view is made of was pinned by Forge; types hold no expressions.
        if (one instanceof View || one instanceof DataType) return;
        if (one instanceof Object[]) {
            Object[] all = (Object[]) one;
            for (int i = 0; i < all.length; i++) push(all[i], todo);
        }
        if (one instanceof scala.Product) pushAll(((scala.Product) one).productIterator(), todo);
        if (one instanceof scala.collection.Iterable) pushAll(((scala.collection.Iterable) one).iterator(), todo);
        if (isNode) {
            pushAll(((TreeNode) one).children().iterator(), todo);
            pushAll(((TreeNode) one).innerChildren().iterator(), todo);
        }
    }

    private static void pushAll(scala.collection.Iterator parts, ArrayDeque todo) {
        while (parts.hasNext()) push(parts.next(), todo);
    }

    private static void push(Object part, ArrayDeque todo) {
        if (part instanceof scala.Product || part instanceof scala.collection.Iterable || part instanceof TreeNode
                || part instanceof Object[]) todo.push(part);
    }

    private static String mark(Object one) {
        if (one instanceof UnresolvedFunction) return hidesType((UnresolvedFunction) one) ? " with a hidden type" : "";
        if (!(one instanceof UnresolvedRelation)) return "";
        UnresolvedRelation relation = (UnresolvedRelation) one;
        return (relation.options().isEmpty() ? "" : " with options") + (relation.isStreaming() ? " as a stream" : "");
    }

    /** Types as text are DDL, or JSON; JSON can name any class or module, which reading the type loads or imports. */
    private static boolean hidesType(UnresolvedFunction call) {
        String name = ((String) call.nameParts().last()).toLowerCase();
        int place = name.equals("from_json") || name.equals("from_csv") ? 1
            : name.equals("variant_get") || name.equals("try_variant_get") ? 2 : -1;
        if (place < 0 || call.arguments().size() <= place) return false;
        Object type = call.arguments().apply(place);
        if (type instanceof Literal) return String.valueOf(((Literal) type).value()).indexOf('{') >= 0;
        if (!(type instanceof UnresolvedFunction)) return true;
        String made = ((String) ((UnresolvedFunction) type).nameParts().last()).toLowerCase();
        return !(made.equals("schema_of_json") || made.equals("schema_of_csv"));
    }

    private static void names(Object one, ArrayList entry) {
        if (one instanceof UnresolvedRelation) add(((UnresolvedRelation) one).multipartIdentifier(), entry);
        else if (one instanceof UnresolvedFunction) add(((UnresolvedFunction) one).nameParts(), entry);
        else if (one instanceof UnresolvedTableValuedFunction) add(((UnresolvedTableValuedFunction) one).name(), entry);
        else if (one instanceof UnresolvedGenerator) add(((UnresolvedGenerator) one).name(), entry);
        else if (one instanceof View) entry.add(((View) one).desc().identifier().table());
        else if (one instanceof Range) entry.add(((Range) one).numElements().toString());
        else if (one instanceof UnresolvedWith) {
            scala.collection.Iterator all = ((UnresolvedWith) one).cteRelations().iterator();
            while (all.hasNext()) entry.add((String) ((scala.Product) all.next()).productElement(0));
        }
    }

    private static void add(FunctionIdentifier name, ArrayList entry) {
        if (name.catalog().isDefined()) entry.add((String) name.catalog().get());
        if (name.database().isDefined()) entry.add((String) name.database().get());
        entry.add(name.funcName());
    }

    private static void add(scala.collection.Seq names, ArrayList entry) {
        scala.collection.Iterator all = names.iterator();
        while (all.hasNext()) entry.add((String) all.next());
    }

    /** Parses under the settings of a session: Spark's parser looks at those of the thread, whoever is asked. */
    public Object parse(SparkSession session, String text, boolean isQuery) throws Exception {
        scala.Option before = SparkSession.getActiveSession();
        SparkSession.setActiveSession(session);
        try {
            ParserInterface parser = session.sessionState().sqlParser();
            return isQuery ? (Object) parser.parsePlan(text) : (Object) parser.parseExpression(text);
        } finally {
            if (before.isDefined()) SparkSession.setActiveSession((SparkSession) before.get());
            else SparkSession.clearActiveSession();
        }
    }

    /** The text with blanks where Spark's lexer sees comments and hints, line by line as it was. */
    public String bare(String text) {
        SqlBaseLexer lexer = new SqlBaseLexer(new UpperCaseCharStream(CharStreams.fromString(text)));
        lexer.removeErrorListeners();
        CommonTokenStream stream = new CommonTokenStream(lexer);
        stream.fill();
        int[] letters = text.codePoints().toArray();
        int hint = -1;
        for (int i = 0; i < stream.getTokens().size(); i++) {
            Token token = (Token) stream.getTokens().get(i);
            int type = token.getType();
            if (type == SqlBaseLexer.SIMPLE_COMMENT || type == SqlBaseLexer.BRACKETED_COMMENT)
                blank(letters, token.getStartIndex(), token.getStopIndex());
            if (type == SqlBaseLexer.HENT_START) hint = token.getStartIndex();
            if (type == SqlBaseLexer.HENT_END && hint >= 0) {
                blank(letters, hint, token.getStopIndex());
                hint = -1;
            }
        }
        return new String(letters, 0, letters.length);
    }

    private static void blank(int[] letters, int first, int last) {
        for (int i = first; i <= last && i < letters.length; i++)
            if (letters[i] != 10 && letters[i] != 13) letters[i] = 32;
    }

    /** Lines of a built-in function's name and the class that computes it. */
    public String functions() {
        StringBuilder text = new StringBuilder();
        FunctionRegistry registry = FunctionRegistry$.MODULE$.builtin();
        scala.collection.Iterator all = registry.listFunction().iterator();
        while (all.hasNext()) {
            FunctionIdentifier name = (FunctionIdentifier) all.next();
            ExpressionInfo info = (ExpressionInfo) registry.lookupFunction(name).get();
            text.append(name.funcName()).append(' ').append(info.getClassName()).append('\\n');
        }
        return text.toString();
    }
}
""".replace("MOST_NODES", str(MOST_NODES))


class TreeReader:
    """Lists the parts of trees of one JVM."""

    def __init__(self, jvm: Any) -> None:
        compiler = jvm.org.codehaus.janino.SimpleCompiler()
        compiler.setParentClassLoader(jvm.java.lang.Thread.currentThread().getContextClassLoader())
        compiler.cook(_SOURCE)
        self._java = compiler.getClassLoader().loadClass("ForgeListing").newInstance()

    def parts(self, tree: Any) -> tuple[TreePart, ...]:
        return tuple(TreePart(type_, is_node, tuple(names)) for type_, is_node, *names in self._parsed(tree))

    def _parsed(self, tree: Any) -> list[list[Any]]:
        found: list[list[Any]] = json.loads(self._java.list(tree))
        return found

    def parse_query(self, session: Any, text: str) -> Any:
        """The logical plan that Spark's parser makes under the settings of this session."""
        return self._java.parse(session, text, True)

    def parse_expression(self, session: Any, text: str) -> Any:
        return self._java.parse(session, text, False)

    def without_comments(self, text: str) -> str:
        return str(self._java.bare(text))

    def functions(self) -> dict[str, str]:
        """Built-in functions of this Spark, with their classes."""
        lines = str(self._java.functions()).splitlines()
        return {name: type_ for name, _, type_ in (line.partition(" ") for line in lines)}
