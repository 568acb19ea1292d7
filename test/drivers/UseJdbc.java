// JDBC, with PostgreSQL's own driver.
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

public class UseJdbc {
    static int points = 0;
    static int failures = 0;
    static Connection connection;

    static void point(boolean passed, String title, String details) {
        points++;
        if (!passed) {
            failures++;
            System.err.println(title + ": " + details);
        }
        System.out.println((passed ? "ok " : "not ok ") + points + " - " + title);
    }

    static void compare(String got, String expected, String title) {
        boolean passed = expected.startsWith("ERROR: ")
            ? got.startsWith("ERROR: ") && got.contains(expected.substring(7)) : got.equals(expected);
        point(passed, title, "got " + got + ", expected " + expected);
    }

    static Object parameter(String word) throws SQLException {
        String[] parts = word.split(":", 2);
        switch (parts[0]) {
            case "text": return parts[1];
            case "int": return Integer.valueOf(parts[1]);
            case "list": return connection.createArrayOf("text", parts[1].isEmpty() ? new String[0] : parts[1].split(","));
            default: return null;
        }
    }

    static String ask(String query, List<Object> parameters) {
        List<Object> ordered = new ArrayList<>();
        Matcher numbers = Pattern.compile("\\$(\\d)").matcher(query);
        while (numbers.find()) {
            ordered.add(parameters.get(Integer.parseInt(numbers.group(1)) - 1));
        }
        try (PreparedStatement statement = connection.prepareStatement(query.replaceAll("\\$\\d", "?"))) {
            for (int i = 0; i < ordered.size(); i++) {
                statement.setObject(i + 1, ordered.get(i));
            }
            ResultSet row = statement.executeQuery();
            row.next();
            return String.valueOf(row.getObject(1));
        } catch (SQLException error) {
            return error.getMessage();
        }
    }

    static void askCases(Path cases) throws Exception {
        int asked = 0;
        for (String line : Files.readAllLines(cases)) {
            if (line.startsWith("#")) {
                continue;
            }
            String[] fields = line.trim().split(" *\\| *", -1);
            List<String> names = Arrays.asList(fields[0].split(" "));
            boolean excepted = names.size() > 1 && names.get(1).equals("but");
            if (names.contains("jdbc") ? excepted : !names.get(0).equals("all")) {
                continue;
            }
            List<Object> parameters = new ArrayList<>();
            for (String word : fields[3].isEmpty() ? new String[0] : fields[3].split(" ")) {
                parameters.add(parameter(word));
            }
            compare(ask(fields[2], parameters), fields[4], fields[1]);
            asked++;
        }
        point(asked > 25, "the queries were run", "" + asked);
    }

    public static void main(String[] arguments) throws Exception {
        Properties properties = new Properties();
        properties.put("user", System.getenv("PGUSER"));
        properties.put("sslmode", "disable");
        properties.put("socketFactory", "org.newsclub.net.unix.AFUNIXSocketFactory$FactoryArg");
        properties.put("socketFactoryArg", System.getenv("PGHOST") + "/.s.PGSQL." + System.getenv("PGPORT"));
        connection = DriverManager.getConnection("jdbc:postgresql://localhost/" + System.getenv("PGDATABASE"), properties);
        connection.createStatement().execute("INSERT INTO news VALUES ('cats', bf_create(10000, of => 'text'))");

        // Lines of the documentation: jdbc

        point(known, "the value is known", "it is not");
        row = connection.createStatement().executeQuery("SELECT readers::bytea FROM news");
        row.next();
        byte[] image = row.getBytes(1);
        compare(new String(image, 0, 4, StandardCharsets.US_ASCII), "ckfl", "the bytes are those of an image");
        PreparedStatement insert = connection.prepareStatement("INSERT INTO news VALUES (?, ?)");
        insert.setString(1, "copy");
        insert.setBytes(2, image);
        insert.executeUpdate();

        // Lines of the documentation: jdbc copy

        compare(ask("SELECT count(*) FROM news_copy JOIN news USING (name, readers)", List.of()), "2", "COPY copied");
        askCases(Path.of("cases"));

        // A string is sent with a type, so the text of a filter needs a cast.
        String text = ask("SELECT readers::text FROM news WHERE name = 'copy'", List.of());
        compare(ask("UPDATE news SET readers = $1 RETURNING 1", List.of(text)), "ERROR: column \"readers\" is of type "
            + "bloomfilter but expression is of type character varying", "a string is no filter");
        compare(ask("UPDATE news SET readers = $1::bloomfilter WHERE name = 'copy' RETURNING readers::text", List.of(text)), text,
            "with a cast it is");
        System.out.println("1.." + points);
        System.exit(failures > 0 ? 1 : 0);
    }
}
